package io.viaduct.bridge.snapts;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.directory.Announcer;
import io.viaduct.bridge.directory.PeerIdentity;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.directory.SnaptDirectory.Refusal;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.DrainOrder;
import io.viaduct.usage.v1.Revocations;
import io.viaduct.usage.v1.SignedDirectory;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.TokenKey;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Handles one SNAPT's stream of statuses. It checks each status; [SnaptClaims] decides which
/// process holds the id.
final class AnnounceStream implements StreamObserver<SnaptStatus>, Announcer {
  private final String id;
  private final String peer;
  private final SnaptDirectory directory;
  private final SnaptClaims claims;
  private final Supplier<List<TokenKey>> keys;
  private final Supplier<Told> relays;
  private final Supplier<Optional<Revocations>> revocations;
  private final InstantSource clock;
  private final StreamObserver<SnaptStatusAck> acks;
  private final Consumer<Optional<Refusal>> outcomes;
  // Guarded by the claims: they make one call at a time.
  private @Nullable Revocations told;
  private Told toldRelays = Told.NOTHING;
  private volatile boolean ended;

  /// The directory for a SNAPT.
  ///
  /// @param entries empty while it is not complete
  /// @param signed the same by the bridge's signature; null while it is empty
  record Told(List<DirectoryEntry> entries, @Nullable SignedDirectory signed) {
    static final Told NOTHING = new Told(List.of(), null);

    /// Returns whether nothing has changed, the signature's age included.
    boolean isSame(Told other) {
      return entries.equals(other.entries) && Objects.equals(signed, other.signed);
    }
  }

  /// @param id common name of the certificate
  /// @param peer address and port of the other end of the connection
  /// @param keys the current token keys
  /// @param relays the directory; its parts are the same objects until they change
  /// @param revocations the revoked tokens: the same object until they change; empty while they are
  ///   not known
  /// @param clock of this bridge, which each answer tells
  /// @param outcomes counts each status by the reason of its refusal; empty for an accepted one
  AnnounceStream(
      String id,
      String peer,
      SnaptDirectory directory,
      SnaptClaims claims,
      Supplier<List<TokenKey>> keys,
      Supplier<Told> relays,
      Supplier<Optional<Revocations>> revocations,
      InstantSource clock,
      StreamObserver<SnaptStatusAck> acks,
      Consumer<Optional<Refusal>> outcomes) {
    this.id = id;
    this.peer = peer;
    this.directory = directory;
    this.claims = claims;
    this.keys = keys;
    this.relays = relays;
    this.revocations = revocations;
    this.clock = clock;
    this.acks = acks;
    this.outcomes = outcomes;
    if (acks instanceof ServerCallStreamObserver<SnaptStatusAck> call) {
      call.setOnCancelHandler(this::onEnd); // so that a late answer does not throw
    }
  }

  @Override
  public void onNext(SnaptStatus status) {
    if (ended) {
      return;
    }
    Optional<Refusal> refusal = directory.refusal(id, status);
    if (refusal.isPresent()) {
      outcomes.accept(refusal);
      end(
          refusal.get() == Refusal.NOT_CONFIGURED && directory.isUnenrolled(id)
              ? PeerIdentity.notEnrolled(id)
              : Status.INVALID_ARGUMENT.withDescription("status refused: " + refusal.get()));
      claims.onEnded(id, this);
    } else {
      claims.onStatus(id, this, status);
    }
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void accepted() {
    outcomes.accept(Optional.empty());
    changed();
  }

  @Override
  public void changed() {
    if (!ended) {
      acks.onNext(answer().build());
    }
  }

  @Override
  public void refresh() {
    Optional<Revocations> now = revocations.get();
    if (!ended && isReading() && now.isPresent() && !now.get().equals(told)) {
      acks.onNext(answer().build());
    }
  }

  // The lists may be long. So a SNAPT gets each once, and later if it does not read its stream.
  private SnaptStatusAck.Builder answer() {
    SnaptStatusAck.Builder answer =
        SnaptStatusAck.newBuilder().addAllTokenKeys(keys.get()).setNowMs(clock.millis());
    Told list = relays.get();
    if (isReading() && !list.isSame(toldRelays)) {
      toldRelays = list;
      answer.addAllDirectory(list.entries());
      if (list.signed() != null) {
        answer.setSignedDirectory(list.signed());
      }
    }
    Optional<Revocations> now = revocations.get();
    if (isReading() && now.isPresent() && !now.get().equals(told)) {
      told = now.get();
      answer.setRevocations(now.get());
    }
    return answer;
  }

  private boolean isReading() {
    return !(acks instanceof ServerCallStreamObserver<SnaptStatusAck> call) || call.isReady();
  }

  @Override
  public void probe(long number) {
    if (!ended) {
      acks.onNext(SnaptStatusAck.newBuilder().setProbe(number).build());
    }
  }

  @Override
  public void order(DrainOrder order) {
    if (!ended) {
      acks.onNext(answer().setDrain(order).build());
    }
  }

  @Override
  public void refuse(Refusal reason, String words) {
    outcomes.accept(Optional.of(reason));
    end(Status.ALREADY_EXISTS.withDescription(words));
  }

  private void end(Status status) {
    if (!ended) {
      ended = true;
      acks.onError(status.asRuntimeException());
    }
  }

  private void onEnd() {
    ended = true;
    claims.onEnded(id, this);
  }

  @Override
  public void onError(Throwable cause) {
    onEnd();
  }

  @Override
  public void onCompleted() {
    if (!ended) {
      onEnd();
      acks.onCompleted();
    }
  }
}
