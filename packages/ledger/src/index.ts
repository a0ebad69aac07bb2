/** The public surface of ledger, every name by hand. */
export {};
