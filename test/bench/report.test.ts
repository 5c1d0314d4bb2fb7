import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { figure, quartiles, reached, renderReport, wanted, withAlignedColumns } from '../../bench/report.js'
import { type Goal, quartilesOf, type Results, type Section } from '../../bench/results.js'

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const goal = (limit: number, value: number, is: Goal['is'] = 'at most'): Goal => ({
  name: 'a guarded request',
  unit: 'µs',
  limit,
  is,
  reached: value,
})

const section = (parts: Partial<Section>): Section => ({
  id: 'guard',
  title: 'A guarded route',
  how: 'With care.',
  columns: ['CPU added, µs'],
  rows: [],
  goals: [],
  ...parts,
})

const results = (...sections: Section[]): Results => ({
  takenOn: '2026-01-02T03:04:05.000Z',
  machine: { node: 'v20.19.0', cpu: 'A | B', cores: 2, system: 'Linux 6.1' },
  quick: false,
  sections,
})

const documentFor = (...sections: Section[]) => renderReport(results(...sections))
const exactly = (value: number) => ({ median: value, low: value, high: value })

async function measuredResults(): Promise<Results> {
  const text = await readFile(fromRoot('bench/results.json'), 'utf8').catch(() => {
    throw new Error('There is no bench/results.json. A whole run of "npm run bench" writes it, and the page from it.')
  })
  return JSON.parse(text) as Results
}

describe('docs/performance.md', () => {
  it('says exactly what bench/results.json does', async () => {
    const page = await readFile(fromRoot('docs/performance.md'), 'utf8')
    expect(page).to.equal(renderReport(await measuredResults()))
  })

  it('is of a whole run, not of a quick one', async () => {
    const { quick } = await measuredResults()
    expect(quick).to.equal(false)
  })
})

describe('renderReport', () => {
  it('calls a goal met when it is reached exactly, and missed when it is not', () => {
    const page = documentFor(
      section({ goals: [goal(8, 8), goal(8, 8.1), goal(75, 75, 'at least'), goal(75, 60, 'at least')] }),
    )
    expect(page).to.include('| a guarded request | at most 8 µs | 8 µs | met |')
    expect(page).to.include('| a guarded request | at most 8 µs | 8.10 µs | **missed** |')
    expect(page).to.include('| a guarded request | at least 75 µs | 75 µs | met |')
    expect(page).to.include('| a guarded request | at least 75 µs | 60 µs | **missed** |')
    expect(page).to.include('2 of 4 are missed.')
  })

  it('calls a goal missed when nothing was measured', () => {
    const page = documentFor(section({ goals: [goal(8, Number.NaN)] }))
    expect(page).to.include('| at most 8 µs | not measured | **missed** |')
    expect(page).not.to.include('All are met.')
  })

  it('says in short what a guard adds, as far as it was measured', () => {
    const columns = ['CPU added, scaled, µs']
    const row = (name: string, value: number) => ({ name, cells: [exactly(value)] })
    const rows = [
      row('Latchkey, token seen before', 20),
      row('@auth/express, token', 400),
      row('better-auth, cookie cache', 300),
    ]
    const page = documentFor(section({ columns, rows }))
    expect(page.replaceAll(/\s+/g, ' ')).to.include('At 1,000 such requests a second, that is 2 % of one core.')
    expect(page).not.to.include('A whole sign-in')
    expect(documentFor(section({ columns, rows: rows.slice(1) }))).not.to.include('## In short')
  })

  it('explains each section to somebody who does not know the programs', async () => {
    const page = await readFile(fromRoot('docs/performance.md'), 'utf8')
    for (const { title } of (await measuredResults()).sections) {
      const [, text = ''] = page.split(`## ${title}\n\n`)
      expect(text.startsWith('|'), title).to.equal(false)
    }
  })

  it('says so when the run was a quick one', () => {
    const quick = renderReport({ ...results(), quick: true })
    expect(quick).to.include('the figures are rough')
    expect(documentFor()).not.to.include('the figures are rough')
  })

  it('keeps text from ending a cell', () => {
    const page = documentFor(section({ rows: [{ name: 'a | b', cells: ['c|d'] }] }))
    expect(page).to.include('| a \\| b | c\\|d |')
  })

  it('leaves a cell empty where a measure does not apply', () => {
    expect(documentFor(section({ rows: [{ name: 'bare', cells: [null] }] }))).to.include('| bare |  |')
  })
})

describe('withAlignedColumns', () => {
  it('brings the columns of tables into line, and leaves other text as it is', () => {
    const aligned = withAlignedColumns('## Goals\n\n|  | CPU, µs |\n|---|--:|\n| bare | 1 |\n')
    expect(aligned).to.equal('## Goals\n\n|      | CPU, µs |\n| ---  | --:     |\n| bare | 1       |\n')
  })
})

describe('figures of the report', () => {
  it('have three digits that count, and two below one', () => {
    const given = [0, 0.00004, 0.0412, 0.268, 1.2345, 9.999, 12.34, 99.96, 123.4, 1234.5, -0.6, -0.00001]
    const read = ['0', '0.0000', '0.041', '0.27', '1.23', '10.0', '12.3', '100', '123', '1,235', '−0.60', '0.0000']
    expect(given.map(figure)).to.deep.equal(read)
  })

  it('have as many digits as show on which side of the limit they are', () => {
    expect(reached(goal(15, 15.001))).to.equal('15.001 µs')
    expect(reached({ ...goal(0.92, 0.9196, 'at least'), unit: '' })).to.equal('0.9196')
    expect(reached(goal(20, 7))).to.equal('7 µs')
  })

  it('have their limit with them', () => {
    expect(wanted(goal(0.92, 1, 'at least'))).to.equal('at least 0.92 µs')
    expect(wanted({ ...goal(20, 1), unit: '' })).to.equal('at most 20')
  })

  it('have no range where all rounds agree', () => {
    expect(quartiles(exactly(5.5))).to.equal('5.50')
    expect(quartiles({ median: 5.5, low: 5.25, high: 6 })).to.equal('5.50 (5.25 … 6)')
  })
})

describe('quartilesOf', () => {
  it('gives the median and the quartiles, between neighbours where they fall there', () => {
    expect(quartilesOf([5, 1, 4, 2, 3])).to.deep.equal({ median: 3, low: 2, high: 4 })
    expect(quartilesOf([4, 1, 3, 2])).to.deep.equal({ median: 2.5, low: 1.75, high: 3.25 })
    expect(quartilesOf([7])).to.deep.equal(exactly(7))
  })

  it('leaves the values as they were', () => {
    const values = [3, 1, 2]
    quartilesOf(values)
    expect(values).to.deep.equal([3, 1, 2])
  })
})
