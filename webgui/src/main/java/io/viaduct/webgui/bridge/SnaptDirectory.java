package io.viaduct.webgui.bridge;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.util.List;

/// The bridge's list of SNAPTs, read with the operators' token of the configuration.
public final class SnaptDirectory {
  private final JsonPeer peer;
  private volatile BearerToken token;

  public SnaptDirectory(JsonPeer peer, BearerToken token) {
    this.peer = peer;
    this.token = token;
  }

  /// Asks with another token from now on.
  public void use(BearerToken next) {
    token = next;
  }

  public List<Snapt> snapts() {
    return peer.get("/snapts", token, Answer.class).snapts();
  }

  record Answer(List<Snapt> snapts) {
    Answer {
      snapts = List.copyOf(snapts);
    }
  }
}
