/// Traffic with known content: text by HTTP, a paced stream, a stream at full speed, requests and
/// responses.
@NullMarked
package io.viaduct.testbed.traffic;

import org.jspecify.annotations.NullMarked;
