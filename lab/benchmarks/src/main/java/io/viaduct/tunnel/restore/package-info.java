/// Stages whose parts are private to this package.
@NullMarked
package io.viaduct.tunnel.restore;

import org.jspecify.annotations.NullMarked;
