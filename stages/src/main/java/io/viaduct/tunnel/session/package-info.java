/// Stages whose parts are private to this package.
@NullMarked
package io.viaduct.tunnel.session;

import org.jspecify.annotations.NullMarked;
