/**
 * Ends a test run with the plain line `N passed, N failed`, and makes a skipped test a failure
 * where nobody would read that it was skipped.
 * What failed and why is the default reporter's to show.
 */

export class TallyReporter {
  /** @param {{ skipsFail: boolean }} options */
  constructor({ skipsFail }) {
    this.skipsFail = skipsFail;
    this.lastWords = '';
    // Other reporters still print after the run has ended, and this line comes after them all.
    process.once('exit', () => process.stdout.write(this.lastWords));
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const { passed, failed, skipped } = tally(modules);
    const failures = failed + unhandledErrors.length;
    const names = skipped.map((name) => `skipped: ${name}\n`).join('');
    if (this.skipsFail) {
      if (skipped.length > 0) process.exitCode = 1;
      this.lastWords = `${names}${passed} passed, ${failures + skipped.length} failed\n`;
      return;
    }
    const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
    this.lastWords = `${names}${passed} passed, ${failures} failed${tail}\n`;
  }
}

/**
 * A file or a group that could not be set up counts as one failure: its tests never ran, so no
 * test of it reports any.
 * @param {readonly import('vitest/node').TestModule[]} modules
 */
function tally(modules) {
  let passed = 0;
  let failed = 0;
  /** @type {string[]} */
  const skipped = [];
  for (const testModule of modules) {
    for (const group of [testModule, ...testModule.children.allSuites()]) {
      if (group.errors().length > 0) failed += 1;
    }
    for (const test of testModule.children.allTests()) {
      const result = test.result();
      if (result.state === 'passed') passed += 1;
      else if (result.state === 'skipped') {
        const note = result.note === undefined ? '' : ` (${result.note})`;
        skipped.push(`${testModule.relativeModuleId} > ${test.fullName}${note}`);
      } else failed += 1;
    }
  }
  return { passed, failed, skipped };
}
