// A server written as a CommonJS module.
"use strict";
require("./work.cjs").serve();
