/// The bridge between SIP and SNAPTs: it knows users (registrar), gives them tokens (token), knows
/// SNAPTs (directory), and passes their reports to billing (reporting). It holds no state that is
/// lost when it dies: agents register again, SNAPTs announce and send again.
@NullMarked
package io.viaduct.bridge;

import org.jspecify.annotations.NullMarked;
