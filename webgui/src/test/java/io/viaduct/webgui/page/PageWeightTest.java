package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PageAddresses;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Scenery;
import io.viaduct.webgui.Visitor;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Tests the bytes that a browser must load before a page works.
class PageWeightTest {
  private static final int SCRIPT_BYTES_MAX = 150_000;
  private static final Pattern SCRIPT = Pattern.compile("<script src=\"([^\"]*)\"");

  @BeforeEach
  void busyPeer() {
    Scenery.arrange(RunningWebgui.freshPeer());
  }

  @Test
  void compressedScriptsOfEachPageAreSmall() throws Exception {
    try (Visitor alice = Visitor.alice();
        Visitor olga = Visitor.operator()) {
      for (String address : PageAddresses.OF_USERS) {
        check(alice, address);
      }
      for (String address : PageAddresses.OF_OPERATORS) {
        check(olga, address);
      }
    }
  }

  private static void check(Visitor visitor, String address) throws Exception {
    Set<String> scripts =
        SCRIPT
            .matcher(visitor.get(address).body())
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(scripts).as(address).isNotEmpty();
    int bytes = 0;
    for (String script : scripts) {
      bytes += compressed(visitor, script);
    }
    assertThat(bytes).as("%s: %s", address, scripts).isBetween(1, SCRIPT_BYTES_MAX);
  }

  private static int compressed(Visitor visitor, String script)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        visitor
            .http()
            .send(
                visitor.request(script, "Accept-Encoding", "gzip").build(),
                HttpResponse.BodyHandlers.ofByteArray());
    assertThat(answer.statusCode()).as(script).isEqualTo(200);
    return answer.body().length;
  }
}
