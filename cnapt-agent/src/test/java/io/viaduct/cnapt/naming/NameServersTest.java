package io.viaduct.cnapt.naming;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NameServersTest {
  @TempDir Path folder;

  private List<String> read(String resolvConf, String behindStub) throws Exception {
    Path file = Files.writeString(folder.resolve("resolv.conf"), resolvConf);
    Path behind = Files.writeString(folder.resolve("behind.conf"), behindStub);
    return new NameServers(file, behind, List.of(InetAddress.ofLiteral("198.51.100.53")))
        .read().stream().map(server -> server.getAddress().getHostAddress()).toList();
  }

  @Test
  void threeServersAreTakenInOrderAndOtherLinesAreNot() throws Exception {
    String text =
        "# made by dhcp\nsearch lab\nnameserver 192.0.2.1\nnameserver  fd00::53 \nnameserver x\n"
            + "nameserver 192.0.2.3\nnameserver 192.0.2.4\n";
    assertThat(read(text, "")).containsExactly("192.0.2.1", "fd00:0:0:0:0:0:0:53", "192.0.2.3");
  }

  @Test
  void theStubOfTheHostIsReplacedByWhatIsBehindIt() throws Exception {
    assertThat(read("nameserver 127.0.0.53\n", "nameserver 192.0.2.7\n"))
        .containsExactly("192.0.2.7");
    assertThat(read("nameserver 127.0.0.53\n", "nameserver 198.51.100.53\nnameserver 192.0.2.7\n"))
        .as("without that of the tunnel")
        .containsExactly("192.0.2.7");
    assertThat(read("nameserver 127.0.0.53\n", "")).containsExactly("127.0.0.53");
  }

  @Test
  void aHostWithoutTheFileHasNoServer() {
    assertThat(new NameServers(folder.resolve("none"), folder.resolve("none"), List.of()).read())
        .isEmpty();
  }
}
