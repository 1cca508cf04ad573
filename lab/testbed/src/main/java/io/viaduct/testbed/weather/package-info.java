/// The weather of a link: delay, jitter, loss, rate, queue, duplication and black holes, for each
/// direction. [io.viaduct.testbed.weather.LinkModel] decides and owns no clock;
/// [io.viaduct.testbed.weather.Impairer] moves the frames.
@NullMarked
package io.viaduct.testbed.weather;

import org.jspecify.annotations.NullMarked;
