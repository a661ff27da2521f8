import { createCodemodeExtension } from "../../../src/pi/index.ts";

export default createCodemodeExtension();
