// On what the labels of the page rest, in its header: versions, digests, prices of all attempts that it holds.

import { make, redraw } from "./dom.js";
import { telling } from "./unseen.js";

const [VERSION, UNRECORDED] = ["grader version", "not recorded"];

/** board.provenance: [[name, value]], made by arena/report/provenance.py. */
export function showProvenance(element, { provenance }) {
  const version = provenance.find(([name]) => name === VERSION)?.[1];
  const head = version && version !== UNRECORDED ? `Rests on ${version}` : `The ${VERSION} is ${UNRECORDED}`;
  element.hidden = !provenance.length;
  redraw(element, make("summary", { "data-key": "provenance" }, telling(head)),
    make("dl", { class: "facts" }, provenance.flatMap(([name, value]) => [make("dt", {}, telling(name)), make("dd", {}, telling(value))])));
}
