/// Long bodies: sealed as one, carried by several datagrams, and put together again.
@NullMarked
package io.viaduct.tunnel.fragment;

import org.jspecify.annotations.NullMarked;
