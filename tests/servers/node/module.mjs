// A server written as an ECMAScript module: there is no `require` at hand.
import work from "./work.cjs";
work.serve();
