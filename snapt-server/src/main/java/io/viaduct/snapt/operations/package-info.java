/// What an operator sees: metrics and the status of sessions.
@NullMarked
package io.viaduct.snapt.operations;

import org.jspecify.annotations.NullMarked;
