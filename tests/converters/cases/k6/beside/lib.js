import { get as fetch } from 'k6/http';

export const WORD = 'of a file';
export const plain = (base, word) => fetch(`${base}/plain/${word}`);
