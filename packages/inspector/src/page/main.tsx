import { render } from "preact";

import { App } from "./app.tsx";
import { connect } from "./connect.ts";
import { followPrinting } from "./printing.ts";
import "./style/base.css";
import "./style/frame.css";
import "./style/grid.css";
import "./style/panel.css";
import "./style/fleet.css";
import "./style/narrow.css";
import "./style/print.css";
import { restoreTheme } from "./theme.ts";

const root = document.getElementById("app");
const data = document.getElementById("trace-data");
if (root !== null && data !== null) {
  restoreTheme();
  followPrinting();
  connect(data.textContent);
  render(<App />, root);
}
