/// The first day of an operator, according to `docs/operator.md`.
@NullMarked
package io.viaduct.testbed.setup;

import org.jspecify.annotations.NullMarked;
