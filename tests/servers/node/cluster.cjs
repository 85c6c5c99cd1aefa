// A master and two workers that share one port.
"use strict";
const cluster = require("node:cluster");
if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
} else {
  require("./work.cjs").serve();
}
