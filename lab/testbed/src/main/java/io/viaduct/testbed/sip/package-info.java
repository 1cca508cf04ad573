/// `viaduct bench sip`: the bridge under load of sipp, beside Kamailio on the same scenarios.
@NullMarked
package io.viaduct.testbed.sip;

import org.jspecify.annotations.NullMarked;
