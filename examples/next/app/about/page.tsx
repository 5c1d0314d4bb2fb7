export default function About() {
  return <h1>About this application</h1>
}
