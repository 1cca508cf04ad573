/// What an operator sees of a SNAPT besides its log: counters by outcome.
@NullMarked
package io.viaduct.snapt.operations;

import org.jspecify.annotations.NullMarked;
