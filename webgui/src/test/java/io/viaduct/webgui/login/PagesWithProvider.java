package io.viaduct.webgui.login;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.WebguiApplication;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.springframework.context.ConfigurableApplicationContext;

/// Pages that know a real provider, and the provider.
final class PagesWithProvider implements AutoCloseable {
  final PeerServer peer = new PeerServer();
  final TestProvider provider = new TestProvider();
  final URI address;
  private final ConfigurableApplicationContext context;

  PagesWithProvider(Path folder) throws IOException {
    Path secret = Files.writeString(folder.resolve("client-secret"), TestProvider.SECRET);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    context =
        WebguiApplication.of(
                RunningWebgui.configuration(
                    peer,
                    "oidc: {issuer: '%s', name: Acme, client-id: %s, client-secret-file: '%s'}"
                        .formatted(provider.issuer(), TestProvider.CLIENT, secret)))
            .start();
    address =
        URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"));
    provider.register(address.toString());
  }

  @Override
  public void close() {
    context.close();
    provider.close();
    peer.close();
  }
}
