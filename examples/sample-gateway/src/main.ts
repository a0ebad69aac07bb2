/** The sample gateway. */
export {};
