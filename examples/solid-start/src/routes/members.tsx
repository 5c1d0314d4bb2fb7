export default function Members() {
  return <p>This page is behind the middleware.</p>
}
