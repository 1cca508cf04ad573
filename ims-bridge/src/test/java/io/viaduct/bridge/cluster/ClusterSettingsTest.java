package io.viaduct.bridge.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.bridge.configuration.BridgesSettings;
import io.viaduct.bridge.configuration.BridgesSettings.Peer;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.tls.TestAuthority;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterSettingsTest {
  @TempDir Path directory;

  private Optional<Secret> file(String text) throws Exception {
    return Optional.of(Secret.of(TestAuthority.secret(directory.resolve("key"), text).toString()));
  }

  private Optional<Secret> key(int bytes) throws Exception {
    return file(Base64.getEncoder().encodeToString(new byte[bytes]));
  }

  private static List<Peer> peer(String name) {
    return List.of(new Peer(name, "192.0.2.2", 7443));
  }

  @Test
  void severalBridgesNeedOneKeyAndDifferentNames() throws Exception {
    assertThat(new BridgesSettings("a", key(32), peer("b")).areSeveral()).isTrue();
    assertThat(new BridgesSettings("a", Optional.empty(), List.of()).areSeveral()).isFalse();
    assertThatThrownBy(() -> new BridgesSettings("a", Optional.empty(), peer("b")))
        .hasMessageContaining("key-file");
    assertThatThrownBy(() -> new BridgesSettings("a", key(32), peer("a")))
        .hasMessageContaining("different names");
  }

  @Test
  void aKeyOfAnotherLengthIsRefusedAndNeverShown() throws Exception {
    assertThatThrownBy(() -> new BridgesSettings("a", key(31), List.of()))
        .hasMessageContaining("base64 of 32 bytes");
    assertThatThrownBy(() -> new BridgesSettings("a", file("my secret!"), List.of()))
        .hasMessageContaining("base64 of 32 bytes")
        .hasMessageNotContaining("my secret!");
  }

  @Test
  void keysOfEachUseAreDifferentAndTheSameAtAllBridges() throws Exception {
    BridgesSettings one = new BridgesSettings("a", key(32), List.of());
    BridgesSettings other = new BridgesSettings("b", key(32), List.of());
    assertThat(SharedKey.of(one).derive("nonce", 32))
        .isEqualTo(SharedKey.of(other).derive("nonce", 32))
        .isNotEqualTo(SharedKey.of(one).derive("gruu", 32));
    BridgesSettings alone = new BridgesSettings("a", Optional.empty(), List.of());
    assertThat(SharedKey.of(alone).derive("nonce", 32))
        .isNotEqualTo(SharedKey.of(alone).derive("nonce", 32));
  }
}
