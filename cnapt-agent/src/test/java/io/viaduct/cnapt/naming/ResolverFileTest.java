package io.viaduct.cnapt.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResolverFileTest {
  private static final String OF_NETWORK = "# by dhcp\nsearch lab\nnameserver 10.71.1.1\n";
  private static final List<String> DNS = List.of("198.51.100.53", "2001:db8::53");

  @TempDir Path folder;
  private Path etc;
  private Path state;
  private Path conf;
  private Path kept;

  @BeforeEach
  void lay() throws IOException {
    etc = Files.createDirectory(folder.resolve("etc"));
    state = Files.createDirectory(folder.resolve("state"));
    conf = etc.resolve("resolv.conf");
    kept = state.resolve("resolv.conf.before");
  }

  private ResolverFile file() {
    return new ResolverFile(conf, kept);
  }

  private List<String> outside() {
    return new NameServers(conf, folder.resolve("none"), List.of())
        .read().stream().map(server -> server.getAddress().getHostAddress()).toList();
  }

  @Test
  void applicationsGetTheOperatorsResolversAndTheAgentKeepsTheNetworks() throws IOException {
    Files.writeString(conf, OF_NETWORK);
    file().set(DNS);
    assertThat(Files.readString(conf))
        .endsWith("\nnameserver 198.51.100.53\nnameserver 2001:db8::53\n");
    assertThat(Files.getPosixFilePermissions(conf))
        .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(outside()).containsExactly("10.71.1.1");
    assertThat(file().restore()).isTrue();
    assertThat(conf).hasContent(OF_NETWORK);
    assertThat(etc).isDirectoryContaining(each -> each.equals(conf));
    assertThat(Files.list(etc)).hasSize(1);
    assertThat(kept).doesNotExist();
  }

  @Test
  void whatAKilledAgentLeftIsPutBackByTheNextStart() throws IOException {
    Files.writeString(conf, OF_NETWORK);
    file().set(DNS); // without restore, as after SIGKILL
    try (var next = ApplicationResolvers.set(DNS, conf, state, null)) {
      assertThat(next).isNotNull();
      assertThat(outside()).containsExactly("10.71.1.1");
    }
    assertThat(conf).hasContent(OF_NETWORK);
    file().set(DNS);
    ApplicationResolvers.set(List.of(), conf, state, null).close(); // dns was removed meanwhile
    assertThat(conf).hasContent(OF_NETWORK);
  }

  @Test
  void aSymbolicLinkIsPutBackAsALinkAndItsTargetIsNotTouched() throws IOException {
    Path target = Files.writeString(folder.resolve("of-manager.conf"), OF_NETWORK);
    Files.createSymbolicLink(conf, Path.of("../of-manager.conf"));
    file().set(DNS);
    assertThat(target).hasContent(OF_NETWORK);
    assertThat(outside()).containsExactly("10.71.1.1");
    Files.writeString(
        target,
        "nameserver 10.71.2.1\n"); // the other program writes the resolvers of a new network
    assertThat(outside()).containsExactly("10.71.2.1");
    file().restore();
    assertThat(Files.readSymbolicLink(conf)).isEqualTo(Path.of("../of-manager.conf"));
  }

  @Test
  void aHostWithoutTheFileHasNoneAfterwards() throws IOException {
    file().set(DNS);
    assertThat(outside()).isEmpty();
    file().restore();
    assertThat(conf).doesNotExist();
  }

  @Test
  void aFileThatADhcpClientWritesMeanwhileIsKeptAndReplacedAgain() throws IOException {
    Files.writeString(conf, OF_NETWORK);
    try (var _ = ApplicationResolvers.set(DNS, conf, state, null)) {
      String ofNext = "nameserver 10.71.2.1\n";
      Path made = Files.writeString(etc.resolve("resolv.conf.dhclient-new"), ofNext);
      Files.move(made, conf, StandardCopyOption.ATOMIC_MOVE);
      await().until(() -> Files.readString(conf).contains("198.51.100.53"));
      assertThat(outside()).containsExactly("10.71.2.1");
    }
    assertThat(conf).hasContent("nameserver 10.71.2.1\n");
  }

  @Test
  void aFileOfAnotherAgentIsLeftAlone() throws IOException {
    Files.writeString(conf, OF_NETWORK);
    new ResolverFile(conf, folder.resolve("other")).set(DNS);
    assertThatIOException()
        .isThrownBy(() -> file().set(DNS))
        .withMessageContaining("set by another agent")
        .withMessageContaining(folder.resolve("other").toString());
    assertThat(file().restore()).isFalse();
    assertThat(Files.readString(conf)).contains("198.51.100.53");
  }

  @Test
  void systemdResolvedIsToldOfTheTunsResolvers() throws IOException {
    Path said = folder.resolve("said");
    Path resolvectl = folder.resolve("resolvectl");
    Files.writeString(resolvectl, "#!/bin/sh\necho \"$@\" >> " + said + "\n");
    Files.setPosixFilePermissions(resolvectl, PosixFilePermissions.fromString("rwx------"));
    Files.writeString(conf, "nameserver 127.0.0.53\n");
    assertThat(ResolvedLink.servesThisHost(conf)).isTrue();
    ResolvedLink link = new ResolvedLink(resolvectl.toString(), "viaduct0");
    ApplicationResolvers.set(DNS, conf, state, link).close();
    assertThat(said)
        .hasContent("dns viaduct0 198.51.100.53 2001:db8::53\ndomain viaduct0 ~.\nrevert viaduct0");
    assertThat(conf).hasContent("nameserver 127.0.0.53\n");
    Files.writeString(resolvectl, "#!/bin/sh\necho no such link; exit 1\n");
    assertThatIOException()
        .isThrownBy(() -> link.set(DNS))
        .withMessageContaining("dns viaduct0 198.51.100.53")
        .withMessageContaining("refused: no such link");
  }
}
