import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { ROOT, readText } from '../docs/documents.js'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

interface Job {
  readonly uses?: string
  readonly needs?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } }
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly on: object
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const FOLDER = '.github/workflows'
const FILES = readdirSync(join(ROOT, FOLDER))
const workflow = (file: string) => parse(readText(`${FOLDER}/${file}`)) as Workflow
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps = [] }) => steps)

describe('the workflows for GitHub', () => {
  for (const file of FILES) {
    it(`${file} pins every action to a commit, and puts nothing that others write into a command`, () => {
      const steps = stepsOf(workflow(file))
      expect(steps).not.to.deep.equal([])
      for (const { uses, run } of steps) {
        if (uses !== undefined) expect(uses).to.match(/@[0-9a-f]{40}$/)
        expect(run ?? '').not.to.include('${{')
      }
    })

    it(`${file} may read the repository, and its jobs end`, () => {
      const { permissions, jobs } = workflow(file)
      expect(permissions).to.deep.equal({ contents: 'read' })
      for (const [name, job] of Object.entries(jobs)) {
        if (job.uses === undefined) expect(job['timeout-minutes'], name).to.be.a('number')
        else expect(existsSync(join(ROOT, job.uses)), job.uses).to.equal(true)
      }
    })
  }

  it('test every version of Node that is supported, with the command of the repository', () => {
    const { test } = workflow('ci.yml').jobs
    const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } }
    expect(test?.strategy?.matrix.node).to.deep.equal([20, 22, 24])
    expect(engines.node).to.match(/^>=20\./)
    expect(test?.steps?.at(-1)?.run).to.match(/ \.ci\/run$/)
  })

  it('publish with provenance and without a token, after the tests, and only the version of the tag', () => {
    const { publish } = workflow('release.yml').jobs
    const commands = (publish?.steps ?? []).map(({ run = '' }) => run)
    expect(publish?.needs).to.equal('test')
    expect(publish?.permissions).to.deep.equal({ contents: 'read', 'id-token': 'write' })
    expect(commands.at(-1)).to.equal('npm publish --provenance --access public')
    expect(commands.findIndex((run) => run.includes('version'))).to.be.within(0, commands.length - 2)
    expect(readText(`${FOLDER}/release.yml`)).not.to.match(/secrets\.|NODE_AUTH_TOKEN/)
  })
})

describe('the files that GitHub reads', () => {
  it('keep every lockfile of the repository up to date', () => {
    const { updates } = parse(readText('.github/dependabot.yml')) as {
      updates: { 'package-ecosystem': string; directories?: string[]; directory?: string }[]
    }
    const [npm, actions] = updates
    expect(npm?.['package-ecosystem']).to.equal('npm')
    expect(actions).to.deep.include({ 'package-ecosystem': 'github-actions', directory: '/' })
    const nested = ['bench', ...readdirSync(join(ROOT, 'examples')).map((name) => `examples/${name}`)]
    const locked = nested.filter((folder) => existsSync(join(ROOT, folder, 'package-lock.json')))
    expect(locked).to.include.members(['bench', 'examples/next'])
    for (const folder of locked) {
      expect(npm?.directories, folder).to.satisfy((all: string[]) =>
        all.some((each) => each === `/${folder}` || each === `/${folder.replace(/[^/]+$/, '*')}`),
      )
    }
  })

  it('lead a vulnerability to the security policy, in every form for faults', () => {
    expect(readText('.github/ISSUE_TEMPLATE/bug.yml')).to.match(/vulnerability.*security policy/is)
    for (const file of ['bug.yml', 'request.yml']) {
      const { body } = parse(readText(`.github/ISSUE_TEMPLATE/${file}`)) as { body: { id?: string; type: string }[] }
      expect(
        body.filter(({ type }) => type !== 'markdown').every(({ id }) => id !== undefined),
        file,
      ).to.equal(true)
    }
  })
})
