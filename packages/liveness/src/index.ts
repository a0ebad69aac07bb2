/** The public surface of liveness, every name by hand. */
export {};
