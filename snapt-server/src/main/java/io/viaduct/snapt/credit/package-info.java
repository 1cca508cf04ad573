/// Credit control at the SNAPT: quotas of bytes for each application of a session (ADR 0041).
@NullMarked
package io.viaduct.snapt.credit;

import org.jspecify.annotations.NullMarked;
