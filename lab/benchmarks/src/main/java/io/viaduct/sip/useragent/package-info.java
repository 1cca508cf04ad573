/// User agents that share sockets and a thread, whose parts are private to this package.
@NullMarked
package io.viaduct.sip.useragent;

import org.jspecify.annotations.NullMarked;
