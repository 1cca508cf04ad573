package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.JdkSslContext;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.reload.ReloadedKeys;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests SIGHUP on a running agent, as far as that needs no TUN device.
class AgentReloadTest {
  @TempDir Path folder;

  @Test
  void anotherFileOfAuthoritiesIsTrustedByTheNextConnection() throws Exception {
    TestAuthority first = new TestAuthority(folder.resolve("first"));
    TestAuthority second = new TestAuthority(folder.resolve("second"));
    TrustedAuthorities authorities = new TrustedAuthorities(first.trust(), InstantSource.system());
    var former = authorities.get();
    Runnable exchange = authorities.prepare(second.trust());
    assertThat(authorities.get()).as("prepared only").isSameAs(former);
    exchange.run();
    assertThat(authorities.get()).isNotSameAs(former);
    assertThat(((JdkSslContext) authorities.get()).context().getClientSessionContext())
        .as("no session of the former authorities is resumed")
        .isNotSameAs(((JdkSslContext) former).context().getClientSessionContext());
  }

  @Test
  void aFileWithoutAuthorityIsRefusedAndTheFormerStays() throws Exception {
    TrustedAuthorities authorities =
        new TrustedAuthorities(
            new TestAuthority(folder.resolve("first")).trust(), InstantSource.system());
    var former = authorities.get();
    Path empty = Files.writeString(folder.resolve("empty.pem"), "");
    assertThatThrownBy(() -> authorities.prepare(empty))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("empty.pem");
    assertThat(authorities.get()).isSameAs(former);
  }

  @Test
  void theReadmeNamesTheKeysThatAreReloaded() throws Exception {
    assertThat(ReloadedKeys.named(Path.of("README.md")))
        .isEqualTo(ReloadedKeys.declared(AgentReload.parts(null)));
  }

  @Test
  void theOutputOfCheckIsAValidConfiguration() throws Exception {
    Path key = folder.resolve("device.pem");
    Ed25519.writePrivate(key, Ed25519.generate().getPrivate());
    Path token = TestAuthority.secret(folder.resolve("token"), "x");
    Path file =
        Files.writeString(
            folder.resolve("cnapt.yml"),
            """
            device-key: device.pem
            trust: authority/ca.pem
            snapt: {host: relay.test}
            token-file: %s
            state: state
            """
                .formatted(token));
    new TestAuthority(folder.resolve("authority"));
    String printed = check(file);
    assertThat(printed).contains("device-key: " + key);
    assertThat(check(Files.writeString(folder.resolve("again.yml"), printed))).isEqualTo(printed);
  }

  @Test
  void thePeersKeyMustNotBeTheOwnOne() throws Exception {
    var pair = Ed25519.generate();
    Ed25519.writePrivate(folder.resolve("own.pem"), pair.getPrivate());
    String own =
        io.viaduct.service.tls.PinnedKey.text(
            Ed25519.raw((java.security.interfaces.EdECPublicKey) pair.getPublic()));
    Path file =
        Files.writeString(
            folder.resolve("peer.yml"),
            """
            device-key: own.pem
            tun: {ipv4: 10.9.0.1, ipv6: ""}
            peer: {key: %s, dial: [192.0.2.1], prefixes: [10.9.0.2]}
            """
                .formatted(own));
    assertThatThrownBy(() -> AgentReload.source(file).effective())
        .hasMessageContaining("'" + own + "' is the key of this end")
        .hasMessageContaining("give the key of the other end");
  }

  private static String check(Path file) {
    PrintStream out = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(CnaptCommand.run("check", "--config", file.toString())).isZero();
    } finally {
      System.setOut(out);
    }
    return said.toString(StandardCharsets.UTF_8);
  }
}
