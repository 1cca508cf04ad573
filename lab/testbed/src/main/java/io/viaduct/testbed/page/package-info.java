/// The only way out of the laboratory: a relay of the page's port to the caller's own network.
@NullMarked
package io.viaduct.testbed.page;

import org.jspecify.annotations.NullMarked;
