// `import AsyncNetTesting` in a test gives all of AsyncNetTestSupport too. Type aliases would not: members of
// extensions, such as those of `MockRouter`, are visible only if their own module is imported.
@_exported public import AsyncNetTestSupport
