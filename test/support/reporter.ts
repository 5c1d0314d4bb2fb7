import Mocha from 'mocha'

/** Mocha's own report, with one closing line that says how the run went. */
export default class ClosingLine extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    runner.once('end', () => {
      const { passes, failures, pending } = runner.stats ?? { passes: 0, failures: 1, pending: 0 }
      console.log(`${passes} passed, ${failures} failed, ${pending} skipped`)
    })
  }
}
