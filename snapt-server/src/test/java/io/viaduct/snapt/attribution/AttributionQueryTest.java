package io.viaduct.snapt.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttributionQueryTest {
  private static final long HOUR = 3_600_000;
  private static final String ALICE = "10.200.0.5 fd56:0:0:0:0:0:0:5 alice s1 t1";
  private static final String BOB = "10.200.0.5 fd56:0:0:0:0:0:0:5 bob%20b s2 t2";

  @TempDir Path folder;

  private List<String> who(String address, int port, long timeMs) throws Exception {
    return AttributionQuery.who(folder, InetAddress.ofLiteral(address), port, timeMs).stream()
        .map(holder -> holder.account() + " " + holder.session() + " " + holder.remote())
        .toList();
  }

  private void lines(long hour, String... lines) throws Exception {
    Files.writeString(folder.resolve(hour * HOUR + ".log"), String.join("\n", lines) + "\n");
  }

  @Test
  void theSessionThatHeldTheAddressAtThatTimeIsNamedAcrossFilesAndHolders() throws Exception {
    lines(
        0,
        "R 1000",
        "S 1000 " + ALICE,
        "N 2000 6 203.0.113.1 40000 192.0.2.9 443 10.200.0.5",
        "torn li");
    lines(
        1,
        "S 3600000 " + ALICE,
        "D 3700000 6 203.0.113.1 40000 192.0.2.9 443 10.200.0.5",
        "E 3800000 " + ALICE,
        "S 3900000 " + BOB,
        "N 3950000 6 203.0.113.1 40000 192.0.2.10 80 10.200.0.5");
    assertThat(who("203.0.113.1", 40000, 3_650_000)).containsExactly("alice s1 192.0.2.9 443");
    assertThat(who("203.0.113.1", 40000, 3_850_000)).as("after its end").isEmpty();
    assertThat(who("203.0.113.1", 40000, 4_000_000)).containsExactly("bob b s2 192.0.2.10 80");
    assertThat(who("203.0.113.1", 40001, 4_000_000)).isEmpty();
    assertThat(who("10.200.0.5", 1, 4_000_000)).containsExactly("bob b s2 ");
    assertThat(who("203.0.113.1", 40000, -5_000)).isEmpty();
  }

  @Test
  void twoWhoShareAPortTowardsTwoHostsAreBothNamed() throws Exception {
    lines(
        0,
        "S 1000 " + ALICE,
        "S 1000 10.200.0.6 fd56:0:0:0:0:0:0:6 carol s3 t3",
        "N 2000 17 203.0.113.1 5000 192.0.2.9 53 10.200.0.5",
        "N 2000 17 203.0.113.1 5000 192.0.2.10 53 10.200.0.6");
    assertThat(who("203.0.113.1", 5000, 9_000))
        .containsExactly("alice s1 192.0.2.9 53", "carol s3 192.0.2.10 53");
  }
}
