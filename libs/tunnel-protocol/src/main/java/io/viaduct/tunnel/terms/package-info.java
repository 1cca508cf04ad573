/// Settings of one end, and the terms on which both ends of a session agree.
@NullMarked
package io.viaduct.tunnel.terms;

import org.jspecify.annotations.NullMarked;
