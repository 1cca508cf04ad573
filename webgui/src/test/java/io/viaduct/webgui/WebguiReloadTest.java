package io.viaduct.webgui;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.ConfigurationReload.Outcome;
import io.viaduct.service.reload.ReloadedKeys;
import io.viaduct.webgui.bridge.SnaptDirectory;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.peer.PeerAwayException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/// Sends SIGHUP to running pages.
class WebguiReloadTest {
  @Test
  void theReadmeNamesTheKeysThatAreReloaded() throws Exception {
    assertThat(ReloadedKeys.named(Path.of("README.md")))
        .isEqualTo(ReloadedKeys.declared(WebguiReload.parts(RunningWebgui.context())));
  }

  @Test
  void anotherTokenOfTheBridgeIsUsedForTheNextQuestion() throws Exception {
    RunningWebgui.freshPeer();
    Path token = RunningWebgui.part(WebguiConfiguration.class).bridge().tokenFile().file();
    Path file = token.resolveSibling("webgui.yml");
    ConfigurationReload<WebguiConfiguration> reload =
        WebguiReload.of(
            WebguiReload.source(file),
            ConfigurationKeys.of(RunningWebgui.part(WebguiConfiguration.class)),
            RunningWebgui.context());
    SnaptDirectory bridge = RunningWebgui.part(SnaptDirectory.class);
    try {
      Files.writeString(token, "another");
      assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
      Assertions.assertThatThrownBy(bridge::snapts).isInstanceOf(PeerAwayException.class);
      Files.writeString(token, "");
      assertThat(reload.reload()).as("an empty secret").isEqualTo(Outcome.REFUSED);
    } finally {
      Files.writeString(token, PeerServer.BRIDGE_TOKEN);
      assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
    }
    assertThat(bridge.snapts()).isNotNull();
  }
}
