// Running sweeps: asks the server every few seconds how far they are, and fetches the attempts anew when some ended.

import { count, duration, make, money, redraw, short } from "./dom.js";

const SECONDS = 3;
const MAX_SECONDS = 60;

/** Watches the server's state. first: the version that is shown. refetch: called when attempts ended; resolves when shown. */
export function watch(place, first, refetch) {
  let [version, wait] = [first, SECONDS];
  const look = async () => {
    try {
      const answer = await fetch("api/state", { cache: "no-store" });
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      const state = await answer.json();
      show(place, state.runs);
      if (version !== state.version && !document.hidden) {
        await refetch();
        version = state.version;
      }
      wait = SECONDS;
    } catch (error) {
      wait = Math.min(MAX_SECONDS, 2 * wait);
      redraw(place, make("p", { class: "warning" }, `The server does not answer (${error.message}); asked again in ${wait} s.`));
    }
    setTimeout(look, 1000 * wait);
  };
  look();
}

function show(place, runs) {
  const going = runs.filter((run) => run.state === "running");
  redraw(place, ...going.map(progress));
}

function progress(run) {
  const rate = run.rate_per_minute;
  const left = rate ? `, about ${duration((60 * (run.total - run.done)) / rate)} left` : "";
  const words = `${count(run.done)} of ${count(run.total)} attempts, ${money(run.usd)} USD${rate ? `, ${rate.toFixed(1)} a minute` : ""}${left}`;
  return make("div", { class: "progress" }, make("b", {}, short(run.run, 60)), make("progress", { max: run.total || 1, value: run.done, "aria-label": `Progress of run ${short(run.run, 60)}` }), make("span", {}, words));
}
