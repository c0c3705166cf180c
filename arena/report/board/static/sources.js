// Where the page gets its data: a server, files beside it, or blocks in itself. Fetched or unpacked once.

import { bytes, opened } from "./board.js";

function unpacked(data) {
  return new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** The JSON of a block of the page that holds base64 of gzip, null where there is no such block. */
export async function embedded(id) {
  const block = document.getElementById(id);
  return block && unpacked(bytes(block.textContent.trim()));
}

async function fetched(path) {
  const answer = await fetch(path, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  return answer;
}

/** Where the page gets its data: a server ("live"), files beside it ("folder"), or blocks in itself ("file"). */
export const source = () => document.documentElement.dataset.source;

const BOARDS = {
  live: async () => (await fetched("api/board")).json(),
  folder: async () => unpacked(await (await fetched("board.json.gz")).arrayBuffer()),
  file: () => embedded("board"),
};
const DETAILS = {
  live: async (id) => (await fetched(`api/attempts/${id}`)).json(),
  folder: async (id) => (await fetched(`attempts/${id}.json`)).json(),
  file: (id) => embedded(`attempt-${id}`),
};

export const loadBoard = async () => opened(await BOARDS[source()]());
/** All that is known of an attempt; null where this page does not hold it. */
export const loadDetail = (id) => {
  if (!/^[0-9a-f]{16}$/.test(id)) throw new Error(`no attempt has the id ${id}`);
  return DETAILS[source()](id);
};

/** A call of an attempt's model as it was recorded; only a server has it. */
export const loadCall = async (id, number) => (await fetched(`api/attempts/${id}/calls/${number}`)).json();

/** What a search over the trajectories of a run finds; only a server answers it. */
export const loadSearch = async (run, q, kind) => (await fetched(`api/runs/${encodeURIComponent(run)}/search?${new URLSearchParams({ q, ...(kind && { kind }) })}`)).json();

/** The tables and figures of a run's paper; null where this page does not hold them. */
export async function loadPaper(board, run) {
  if (source() === "live") return (await fetched(`api/runs/${encodeURIComponent(run)}/paper`)).json();
  return board.papers?.find((found) => found.run === run) ?? null;
}

/** The tables and figures of a run's paper, its scores and pairs; null until they are there, `again` is called then. */
export function paperOf(board, run, again) {
  if (!board.kept.has(run)) {
    board.kept.set(run, null);
    loadPaper(board, run).then((found) => found, () => ({ failed: true })).then((found) => {
      board.kept.set(run, found ?? {});
      again();
    });
  }
  return board.kept.get(run);
}
