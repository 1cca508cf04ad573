/// Traffic with a known content: text by HTTP, a paced stream, a greedy one, requests and
/// responses.
@NullMarked
package io.viaduct.testbed.traffic;

import org.jspecify.annotations.NullMarked;
