export { freePort } from "./free-port.ts";
export { isMissingServer } from "./missing-server.ts";
export { findPostgres, PASSWORD, type PostgresServer, startPostgres } from "./postgres.ts";
export { findRestate, RESTATE_MISSING, type RestateServer, startRestate } from "./restate.ts";
