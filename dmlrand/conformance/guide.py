"""The texts of the kit: README.md, and the script that runs the model files on Windows."""

GUIDE = """\
# Conformance kit for RandomGenerator (Philox4x32-10)

This folder tests an implementation of DirectML's RandomGenerator operator. `dmlrand conformance write` made it.

**Nobody in the dmlrand project ran this kit with DxDispatch or on a device.** The expected words follow Microsoft's
page on DML_RANDOM_GENERATOR_OPERATOR_DESC and the definition of Philox4x32-10. The instructions for Windows below come
from reading DxDispatch's guide and sources of July 2025. Where the page says nothing, dmlrand chose an answer (section
5 of its specs/operator.md). There, `check` calls a device that chose otherwise wrong, but that need not be a fault of
the device: the report names its choice.

## Files

* `models/NAME.json`: one model file of DxDispatch for each case. Its first line says what the case decides.
* `cases.json`: all cases with their states, descriptors, hashes and first words.
* `expected/NAME.values-1.npy`, `expected/NAME.state-1.npy`: the buffers after the first draw (and 2, 3 for further
  draws). For buffers of 16,384 words or more there is only the hash in `cases.json`.
* `run.cmd`: runs every model file on Windows.
* `outputs/`: what the device returns. `run.cmd` makes it.

## Run it on Windows, with DxDispatch

1. Get DxDispatch: https://github.com/microsoft/DirectML, folder DxDispatch. Its README says how to build it.
2. List the adapters: `dxdispatch.exe --show_adapters`.
3. Run all cases. Give the full path of the program, because the script changes to the folder of the kit:

       run.cmd C:\\tools\\dxdispatch.exe

   Further words are passed to DxDispatch. The software adapter WARP needs no GPU. Windows lists it as Microsoft Basic
   Render Driver:

       run.cmd C:\\tools\\dxdispatch.exe -a "Basic Render"

   Do not use the options -i, -r and -t: they repeat the dispatches, and the kit counts them.
4. Check what came back, on any machine with dmlrand:

       dmlrand conformance check DIR

The largest case writes a file of 256 MiB. `dmlrand conformance write DIR --max-words 1048576` leaves such cases out.

For each case, `run.cmd` also writes `outputs/NAME.txt`: what DxDispatch printed, and a last line `exit code N`. A case
whose name begins with `error` or `unknown` has a descriptor that the pages forbid or do not mention. If the device
refuses it, there is no other file.

**Which error?** The pages that were read do not name the HRESULT of a wrong descriptor. The page on errors says that
invalid use might give E_INVALIDARG (0x80070057) or remove the device. So the kit expects any error, and the report says
which HRESULT it found. DxDispatch may also refuse a file itself.

## Run it without DirectML

For each case of `cases.json`:

1. Take a buffer of `values_words` words, each 0xCDCDCDCD, and a state of six words, `state`.
   If `desc.InputStateTensor` has `Strides`, the buffer of a state has a word for each place from the first element to
   the last, 0xCDCDCDCD between them: the six words of `state-strided`, 3 words apart, take 16 words.
2. Draw the tensor `desc.OutputTensor` into the buffer. `Sizes` are its sizes and `Strides`, if present, the distance
   between elements of each axis, in words.
3. Write the buffer to `outputs/NAME.values-1.npy` (uint32) or `outputs/NAME.values-1.bin` (little-endian), and the new
   state to `outputs/NAME.state-1.npy` or `.bin`, if `desc` has OutputStateTensor.
4. If `draws` has more records, draw again from the new state, and write `values-2`, `state-2` and so on.
5. If the implementation refuses the descriptor, write `outputs/NAME.txt` with the last line `exit code 1`.

The `sha256` of a draw is that of its words, little-endian, in row-major order of the indices, without the other words
of the buffer. The schema of `cases.json` is in dmlrand's specs/conformance.md.
"""

RUN_SCRIPT = """\
@echo off
rem Runs every model file of the conformance kit with DxDispatch. README.md has the instructions.
if "%~1"=="" (
    echo usage: run.cmd C:\\full\\path\\dxdispatch.exe [options of DxDispatch, such as -a "Basic Render"]
    exit /b 2
)
cd /d "%~dp0"
if not exist outputs mkdir outputs
set "command=%*"
for %%f in (models\\*.json) do call :run "%%f" "%%~nf"
exit /b 0

:run
echo %~2
if exist "outputs\\%~2.*" del /q "outputs\\%~2.*"
%command% %1 > "outputs\\%~2.txt" 2>&1
>> "outputs\\%~2.txt" echo exit code %errorlevel%
exit /b 0
"""
