/// Passes signed usage reports from SNAPTs to billing, and billing's verdicts back. It stores
/// nothing: a SNAPT sends a report without a verdict again.
@NullMarked
package io.viaduct.bridge.reporting;

import org.jspecify.annotations.NullMarked;
