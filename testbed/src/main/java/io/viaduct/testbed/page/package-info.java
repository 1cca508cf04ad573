/// The one way out of the laboratory: the page's port, relayed to the caller's own network.
@NullMarked
package io.viaduct.testbed.page;

import org.jspecify.annotations.NullMarked;
