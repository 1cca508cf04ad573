/// The bridge between SIP and SNAPTs. It registers users (registrar), gives them tokens (token),
/// lists the SNAPTs (directory), and passes their reports to billing (reporting). It needs no state
/// to survive a crash: agents register again, and SNAPTs announce themselves and send their reports
/// again.
@NullMarked
package io.viaduct.bridge;

import org.jspecify.annotations.NullMarked;
