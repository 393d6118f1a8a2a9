# The first check of a change: format, rooms, and the tests that need neither root nor a server of the system. CI runs more: .ci/run.
.PHONY: quick
quick:
	Scripts/format --check
	Scripts/check-rooms
	swift test --experimental-maximum-parallelization-width 16
