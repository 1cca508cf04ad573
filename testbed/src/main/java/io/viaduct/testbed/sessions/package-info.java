/// Very many sessions on one SNAPT: what an idle one costs, and what all of them carry together.
@NullMarked
package io.viaduct.testbed.sessions;

import org.jspecify.annotations.NullMarked;
