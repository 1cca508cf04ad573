/// Traffic with a known content: text by HTTP, a paced stream, request and response.
@NullMarked
package io.viaduct.testbed.traffic;

import org.jspecify.annotations.NullMarked;
