/// A device that moves between links and SNAPTs while its connections go on: the laboratory, and
/// what happens in it for tests and for `bench snapts`.
@NullMarked
package io.viaduct.testbed.moving;

import org.jspecify.annotations.NullMarked;
