package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventReaderTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // what billing sends                           | changes seen
        "event: charge~data: {}~~                       | 1",
        "event:balance~data: {}~~                       | 1",
        "data: {}~event: balance~id: 7~~                | 1",
        "event: charge^~data: {}^~^~                    | 1",
        "event: charge~data: {}~~event: balance~data:~~ | 2",
        ": comment~~: comment~~                         | 0",
        "event: charge~data: {}~                        | 0",
        "event: something else~data: {}~~               | 0",
        "data: event: charge~~                          | 0",
        "event: chargexxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx~~ | 0"
      })
  void countsChanges(String stream, int changes) throws IOException {
    assertThat(read(stream.replace('~', '\n').replace('^', '\r'))).isEqualTo(changes);
  }

  @Property(tries = 300)
  void anyBytesEndWithoutAnException(@ForAll byte[] noise) throws IOException {
    AtomicInteger seen = new AtomicInteger();
    EventReader.read(new ByteArrayInputStream(noise), seen::incrementAndGet);
    assertThat(seen.get()).isLessThanOrEqualTo(noise.length);
  }

  private static int read(String stream) throws IOException {
    AtomicInteger seen = new AtomicInteger();
    EventReader.read(
        new ByteArrayInputStream(stream.getBytes(StandardCharsets.UTF_8)), seen::incrementAndGet);
    return seen.get();
  }
}
