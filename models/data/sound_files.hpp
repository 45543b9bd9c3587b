// sound_files.hpp — recordings and what was said in them, as frames (frames.hpp).
#pragma once

#include "models/data/example.hpp"
#include "models/data/frames.hpp"

namespace HEED_NAMESPACE {

/// The samples of a WAV file, from -1 to 1: 16-bit PCM at 16 kHz, channels averaged, at most 10 minutes. Throws a
/// DataError with file, byte and reason for anything else.
std::vector<float> read_wav(const std::string& path);

/// What a frame is described by: log_mel(), or mfcc().
enum class FrameKind { mel, cepstra };

/// Recordings listed in the file at `path`, each by its name, which counts from the folder of the list. Answer::whole:
/// lines of WAV TAB label. Answer::each: lines of WAV TAB label file, whose lines are `first end label`, with spaces
/// between, in samples, as TIMIT writes them; a frame has the label at its middle, or none. `classes` are all there
/// are; none: those found. Throws a DataError with file, line and reason, as for a recording too short for a frame.
ExampleSet read_speech(const std::string& path, Answer answer, FrameKind kind = FrameKind::mel,
                       const std::vector<std::string>& classes = {});

}  // namespace HEED_NAMESPACE
